package com.intellij.openapi.editor;

public enum ScrollType {
    MAKE_VISIBLE;
}
