package watch

import "golang.org/x/sys/unix"

// remotes are the file systems on which changes that another machine makes, or
// the host of this one, are not reported.
var remotes = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.V9FS_MAGIC: "9p", unix.AFS_SUPER_MAGIC: "AFS", unix.CODA_SUPER_MAGIC: "Coda", 0x786f4256: "VirtualBox", unix.CEPH_SUPER_MAGIC: "Ceph",
	unix.FUSE_SUPER_MAGIC: "FUSE",
}

// remote says why changes in a folder would not be reported, or nothing.
func remote(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	if name := remotes[int64(uint32(st.Type))]; name != "" {
		return "changes on a file system of the kind " + name + " are not reported"
	}
	return ""
}
