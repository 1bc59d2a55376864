package com.intellij.ide.structureView;

public interface StructureView extends com.intellij.openapi.Disposable {
}
