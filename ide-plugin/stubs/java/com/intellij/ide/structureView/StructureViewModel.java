package com.intellij.ide.structureView;

public interface StructureViewModel extends com.intellij.openapi.Disposable {
    com.intellij.ide.structureView.StructureViewTreeElement getRoot();
}
