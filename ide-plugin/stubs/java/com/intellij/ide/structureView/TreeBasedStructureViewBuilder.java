package com.intellij.ide.structureView;

public abstract class TreeBasedStructureViewBuilder implements com.intellij.ide.structureView.StructureViewBuilder {
    public abstract com.intellij.ide.structureView.StructureViewModel createStructureViewModel(com.intellij.openapi.editor.Editor a);
    protected TreeBasedStructureViewBuilder() { throw new AssertionError(); }
}
