package com.intellij.openapi.editor;

public interface SelectionModel {
    java.lang.String getSelectedText();
    int getSelectionEnd();
    int getSelectionStart();
    boolean hasSelection();
    void setSelection(int a, int b);
}
