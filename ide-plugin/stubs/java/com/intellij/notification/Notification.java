package com.intellij.notification;

public class Notification {
    public Notification(java.lang.String a, java.lang.String b, java.lang.String c, com.intellij.notification.NotificationType d) { throw new AssertionError(); }
    public com.intellij.notification.Notification addAction(com.intellij.openapi.actionSystem.AnAction a) { throw new AssertionError(); }
}
