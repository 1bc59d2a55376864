package com.intellij.openapi.editor;

public abstract class EditorFactory {
    public abstract com.intellij.openapi.editor.Editor createEditor(com.intellij.openapi.editor.Document a, com.intellij.openapi.project.Project b);
    public abstract com.intellij.openapi.editor.event.EditorEventMulticaster getEventMulticaster();
    public static com.intellij.openapi.editor.EditorFactory getInstance() { throw new AssertionError(); }
    public abstract void releaseEditor(com.intellij.openapi.editor.Editor a);
    protected EditorFactory() { throw new AssertionError(); }
}
