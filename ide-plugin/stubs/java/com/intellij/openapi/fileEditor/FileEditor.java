package com.intellij.openapi.fileEditor;

public interface FileEditor extends com.intellij.openapi.util.UserDataHolder, com.intellij.openapi.Disposable {
}
