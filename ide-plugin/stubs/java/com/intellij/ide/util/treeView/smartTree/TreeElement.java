package com.intellij.ide.util.treeView.smartTree;

public interface TreeElement {
    com.intellij.ide.util.treeView.smartTree.TreeElement[] getChildren();
    com.intellij.navigation.ItemPresentation getPresentation();
}
