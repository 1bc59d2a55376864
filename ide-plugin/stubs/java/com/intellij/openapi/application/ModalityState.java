package com.intellij.openapi.application;

public abstract class ModalityState {
    public static com.intellij.openapi.application.ModalityState defaultModalityState() { throw new AssertionError(); }
    protected ModalityState() { throw new AssertionError(); }
}
