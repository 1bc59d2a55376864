package com.intellij.openapi.fileTypes;

public abstract class FileTypeManager extends com.intellij.openapi.fileTypes.FileTypeRegistry {
    public static com.intellij.openapi.fileTypes.FileTypeManager getInstance() { throw new AssertionError(); }
    protected FileTypeManager() { throw new AssertionError(); }
}
