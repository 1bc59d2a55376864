package com.intellij.openapi.fileEditor;

public abstract class FileEditorManager {
    public abstract void closeFile(com.intellij.openapi.vfs.VirtualFile a);
    public abstract com.intellij.openapi.fileEditor.FileEditor[] getEditors(com.intellij.openapi.vfs.VirtualFile a);
    public static com.intellij.openapi.fileEditor.FileEditorManager getInstance(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    public abstract com.intellij.openapi.vfs.VirtualFile[] getOpenFiles();
    public abstract com.intellij.openapi.vfs.VirtualFile[] getSelectedFiles();
    public abstract com.intellij.openapi.editor.Editor getSelectedTextEditor();
    public abstract com.intellij.openapi.fileEditor.FileEditor[] openFile(com.intellij.openapi.vfs.VirtualFile a, boolean b);
    public abstract com.intellij.openapi.editor.Editor openTextEditor(com.intellij.openapi.fileEditor.OpenFileDescriptor a, boolean b);
    protected FileEditorManager() { throw new AssertionError(); }
}
