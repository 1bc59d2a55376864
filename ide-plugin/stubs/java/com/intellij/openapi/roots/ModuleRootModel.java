package com.intellij.openapi.roots;

public interface ModuleRootModel {
    com.intellij.openapi.vfs.VirtualFile[] getContentRoots();
}
