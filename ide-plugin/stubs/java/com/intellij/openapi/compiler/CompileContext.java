package com.intellij.openapi.compiler;

public interface CompileContext extends com.intellij.openapi.util.UserDataHolder {
}
