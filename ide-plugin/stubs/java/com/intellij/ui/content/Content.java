package com.intellij.ui.content;

public interface Content extends com.intellij.openapi.util.UserDataHolder, com.intellij.openapi.Disposable {
    void setDisposer(com.intellij.openapi.Disposable a);
}
