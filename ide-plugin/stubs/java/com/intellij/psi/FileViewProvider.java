package com.intellij.psi;

public interface FileViewProvider extends com.intellij.openapi.util.UserDataHolder {
    com.intellij.openapi.editor.Document getDocument();
}
