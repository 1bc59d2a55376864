package com.intellij.openapi.components;

public interface ComponentManager extends com.intellij.openapi.util.UserDataHolder, com.intellij.openapi.Disposable {
    com.intellij.util.messages.MessageBus getMessageBus();
    <T> T getService(java.lang.Class<T> a);
    boolean isDisposed();
}
