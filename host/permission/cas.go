package permission

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxCAFile bounds a file of certificates; that of a whole system has a tenth.
const maxCAFile = 4 << 20

// LoadCAs gives the certificate authorities of the system and those in files,
// which hold certificates in PEM form. Without files it gives nil, which means
// those of the system. An error names the file and says what is wrong with it.
func LoadCAs(files []string) (*x509.CertPool, error) {
	if len(files) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the system's certificate authorities cannot be read: %w", err)
	}
	for _, file := range files {
		if err := addCAs(pool, file); err != nil {
			return nil, fmt.Errorf("%s holds no certificate authorities that can be used: %w", file, err)
		}
	}
	return pool, nil
}

func addCAs(pool *x509.CertPool, file string) error {
	data, err := readCAs(file)
	if err != nil {
		return err
	}
	count := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		count++
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("certificate %d in it is broken: %w", count, err)
		}
		pool.AddCert(cert)
	}
	if count == 0 {
		return errors.New("there is no certificate in PEM form in it, -----BEGIN CERTIFICATE-----")
	}
	return nil
}

// readCAs reads a file if it is one; a pipe might never end.
func readCAs(file string) ([]byte, error) {
	st, err := os.Stat(file)
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	var data []byte
	if err == nil {
		var f *os.File
		if f, err = os.Open(file); err == nil {
			defer f.Close()
			data, err = io.ReadAll(io.LimitReader(f, maxCAFile+1))
		}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the file is named already
	}
	if len(data) > maxCAFile {
		err = fmt.Errorf("it has more than %d bytes", maxCAFile)
	}
	return data, err
}
