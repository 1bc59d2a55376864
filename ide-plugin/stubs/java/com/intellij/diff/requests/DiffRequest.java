package com.intellij.diff.requests;

public abstract class DiffRequest implements com.intellij.openapi.util.UserDataHolder {
    public <T> void putUserData(com.intellij.openapi.util.Key<T> a, T b) { throw new AssertionError(); }
    protected DiffRequest() { throw new AssertionError(); }
}
