package com.intellij.diff;

public abstract class DiffContentFactory {
    public abstract com.intellij.diff.contents.DocumentContent create(com.intellij.openapi.project.Project a, java.lang.String b, com.intellij.openapi.fileTypes.FileType c);
    public abstract com.intellij.diff.contents.DocumentContent createEditable(com.intellij.openapi.project.Project a, java.lang.String b, com.intellij.openapi.fileTypes.FileType c);
    public static com.intellij.diff.DiffContentFactory getInstance() { throw new AssertionError(); }
    protected DiffContentFactory() { throw new AssertionError(); }
}
