package dev.ideindex.plugin.psi;

import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.openapi.vfs.VirtualFileManager;
import dev.ideindex.plugin.spi.HostException;

/** Paths of the contract and files of the IDE. */
final class Files {
    private static final String LOCAL = "file://";

    private Files() {}

    /** @throws HostException {@code file_not_found} */
    static VirtualFile find(String path) throws HostException {
        VirtualFile file = look(path);
        if (file == null) {
            throw new HostException(HostException.FILE_NOT_FOUND, path + " is not there");
        }
        return file;
    }

    /** Looks at the disk for what the IDE has not seen yet; null when it is not there either. */
    static VirtualFile look(String path) {
        String url = url(path);
        VirtualFile known = VirtualFileManager.getInstance().findFileByUrl(url);
        return known != null && known.isValid() ? known : VirtualFileManager.getInstance().refreshAndFindFileByUrl(url);
    }

    private static String url(String path) {
        return path.contains("://") ? path : LOCAL + path.replace('\\', '/');
    }

    /** An absolute path, or the URL of what lies in an archive. */
    static String path(VirtualFile file) {
        String url = file.getUrl();
        return url.startsWith(LOCAL) ? file.getPath() : url;
    }
}
