package com.intellij.find;

public class FindModel implements com.intellij.openapi.util.UserDataHolder {
    public FindModel() { throw new AssertionError(); }
    public <T> void putUserData(com.intellij.openapi.util.Key<T> a, T b) { throw new AssertionError(); }
    public void setCaseSensitive(boolean a) { throw new AssertionError(); }
    public void setMultipleFiles(boolean a) { throw new AssertionError(); }
    public void setProjectScope(boolean a) { throw new AssertionError(); }
    public void setRegularExpressions(boolean a) { throw new AssertionError(); }
    public void setStringToFind(java.lang.String a) { throw new AssertionError(); }
    public void setWholeWordsOnly(boolean a) { throw new AssertionError(); }
    public void setWithSubdirectories(boolean a) { throw new AssertionError(); }
}
