package com.intellij.openapi.util;

public interface UserDataHolder {
    <T> void putUserData(com.intellij.openapi.util.Key<T> a, T b);
}
