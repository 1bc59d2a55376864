package com.intellij.openapi.editor;

public interface Editor extends com.intellij.openapi.util.UserDataHolder {
    com.intellij.openapi.editor.CaretModel getCaretModel();
    javax.swing.JComponent getContentComponent();
    com.intellij.openapi.editor.Document getDocument();
    com.intellij.openapi.editor.InlayModel getInlayModel();
    int getLineHeight();
    com.intellij.openapi.project.Project getProject();
    com.intellij.openapi.editor.ScrollingModel getScrollingModel();
    com.intellij.openapi.editor.SelectionModel getSelectionModel();
}
