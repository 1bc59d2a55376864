package com.intellij.navigation;

public interface NavigationItem {
    java.lang.String getName();
    com.intellij.navigation.ItemPresentation getPresentation();
}
