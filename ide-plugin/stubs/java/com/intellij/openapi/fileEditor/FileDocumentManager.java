package com.intellij.openapi.fileEditor;

public abstract class FileDocumentManager {
    public abstract com.intellij.openapi.editor.Document getCachedDocument(com.intellij.openapi.vfs.VirtualFile a);
    public abstract com.intellij.openapi.editor.Document getDocument(com.intellij.openapi.vfs.VirtualFile a);
    public static com.intellij.openapi.fileEditor.FileDocumentManager getInstance() { throw new AssertionError(); }
    public abstract java.lang.String getLineSeparator(com.intellij.openapi.vfs.VirtualFile a, com.intellij.openapi.project.Project b);
    public abstract boolean isFileModified(com.intellij.openapi.vfs.VirtualFile a);
    public abstract void saveAllDocuments();
    public abstract void saveDocument(com.intellij.openapi.editor.Document a);
    protected FileDocumentManager() { throw new AssertionError(); }
}
