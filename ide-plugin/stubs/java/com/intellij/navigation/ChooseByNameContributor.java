package com.intellij.navigation;

public interface ChooseByNameContributor {
    com.intellij.openapi.extensions.ExtensionPointName<com.intellij.navigation.ChooseByNameContributor> CLASS_EP_NAME = null;
    com.intellij.openapi.extensions.ExtensionPointName<com.intellij.navigation.ChooseByNameContributor> FILE_EP_NAME = null;
    com.intellij.openapi.extensions.ExtensionPointName<com.intellij.navigation.ChooseByNameContributor> SYMBOL_EP_NAME = null;
    com.intellij.navigation.NavigationItem[] getItemsByName(java.lang.String a, java.lang.String b, com.intellij.openapi.project.Project c, boolean d);
    java.lang.String[] getNames(com.intellij.openapi.project.Project a, boolean b);
}
