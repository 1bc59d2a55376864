package com.intellij.navigation;

public interface ItemPresentation {
    default java.lang.String getLocationString() { throw new AssertionError(); }
    java.lang.String getPresentableText();
}
