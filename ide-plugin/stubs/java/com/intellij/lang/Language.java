package com.intellij.lang;

public abstract class Language implements com.intellij.openapi.util.UserDataHolder {
    public com.intellij.lang.Language getBaseLanguage() { throw new AssertionError(); }
    public java.lang.String getDisplayName() { throw new AssertionError(); }
    public java.lang.String getID() { throw new AssertionError(); }
    protected Language() { throw new AssertionError(); }
}
