package com.intellij.openapi.fileTypes;

public abstract class FileTypeRegistry {
    public abstract com.intellij.openapi.fileTypes.FileType getFileTypeByFileName(java.lang.String a);
    protected FileTypeRegistry() { throw new AssertionError(); }
}
