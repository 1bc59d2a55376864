package com.intellij.util.messages;

public interface SimpleMessageBusConnection {
    <L> void subscribe(com.intellij.util.messages.Topic<L> a, L b);
}
