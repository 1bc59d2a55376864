package com.intellij.openapi.vfs;

public abstract class VirtualFile implements com.intellij.openapi.util.UserDataHolder {
    public static final com.intellij.openapi.vfs.VirtualFile[] EMPTY_ARRAY = null;
    public com.intellij.openapi.vfs.VirtualFile createChildData(java.lang.Object a, java.lang.String b) throws java.io.IOException { throw new AssertionError(); }
    public void delete(java.lang.Object a) throws java.io.IOException { throw new AssertionError(); }
    public abstract java.lang.String getName();
    public abstract com.intellij.openapi.vfs.VirtualFile getParent();
    public abstract java.lang.String getPath();
    public java.lang.String getUrl() { throw new AssertionError(); }
    public abstract boolean isValid();
    public abstract boolean isWritable();
    public void move(java.lang.Object a, com.intellij.openapi.vfs.VirtualFile b) throws java.io.IOException { throw new AssertionError(); }
    public void rename(java.lang.Object a, java.lang.String b) throws java.io.IOException { throw new AssertionError(); }
    protected VirtualFile() { throw new AssertionError(); }
}
