package com.intellij.util.messages;

public interface MessageBus extends com.intellij.openapi.Disposable {
    com.intellij.util.messages.MessageBusConnection connect(com.intellij.openapi.Disposable a);
}
