package com.intellij.openapi.vfs;

public abstract class VirtualFileManager {
    public static final com.intellij.util.messages.Topic<com.intellij.openapi.vfs.newvfs.BulkFileListener> VFS_CHANGES = null;
    public com.intellij.openapi.vfs.VirtualFile findFileByUrl(java.lang.String a) { throw new AssertionError(); }
    public static com.intellij.openapi.vfs.VirtualFileManager getInstance() { throw new AssertionError(); }
    public com.intellij.openapi.vfs.VirtualFile refreshAndFindFileByUrl(java.lang.String a) { throw new AssertionError(); }
    protected VirtualFileManager() { throw new AssertionError(); }
}
