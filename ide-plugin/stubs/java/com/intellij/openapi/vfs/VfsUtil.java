package com.intellij.openapi.vfs;

public class VfsUtil {
    public static com.intellij.openapi.vfs.VirtualFile createDirectoryIfMissing(java.lang.String a) throws java.io.IOException { throw new AssertionError(); }
    public static void markDirtyAndRefresh(boolean a, boolean b, boolean c, com.intellij.openapi.vfs.VirtualFile... d) { throw new AssertionError(); }
    public static void saveText(com.intellij.openapi.vfs.VirtualFile a, java.lang.String b) throws java.io.IOException { throw new AssertionError(); }
    protected VfsUtil() { throw new AssertionError(); }
}
