package com.intellij.openapi.editor.event;

public interface EditorEventMulticaster {
    void addCaretListener(com.intellij.openapi.editor.event.CaretListener a, com.intellij.openapi.Disposable b);
    void addSelectionListener(com.intellij.openapi.editor.event.SelectionListener a, com.intellij.openapi.Disposable b);
}
