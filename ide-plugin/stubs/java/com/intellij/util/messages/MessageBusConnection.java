package com.intellij.util.messages;

public interface MessageBusConnection extends com.intellij.util.messages.SimpleMessageBusConnection, com.intellij.openapi.Disposable {
}
