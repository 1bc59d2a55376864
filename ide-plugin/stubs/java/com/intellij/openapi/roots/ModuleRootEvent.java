package com.intellij.openapi.roots;

public abstract class ModuleRootEvent {
    protected ModuleRootEvent() { throw new AssertionError(); }
}
