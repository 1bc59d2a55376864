package com.intellij.openapi.command.undo;

public abstract class UndoManager {
    public static com.intellij.openapi.command.undo.UndoManager getInstance(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    public abstract com.intellij.openapi.util.Pair<java.lang.String, java.lang.String> getRedoActionNameAndDescription(com.intellij.openapi.fileEditor.FileEditor a);
    public abstract com.intellij.openapi.util.Pair<java.lang.String, java.lang.String> getUndoActionNameAndDescription(com.intellij.openapi.fileEditor.FileEditor a);
    public abstract boolean isRedoAvailable(com.intellij.openapi.fileEditor.FileEditor a);
    public abstract boolean isUndoAvailable(com.intellij.openapi.fileEditor.FileEditor a);
    public abstract void redo(com.intellij.openapi.fileEditor.FileEditor a);
    public abstract void undo(com.intellij.openapi.fileEditor.FileEditor a);
    protected UndoManager() { throw new AssertionError(); }
}
