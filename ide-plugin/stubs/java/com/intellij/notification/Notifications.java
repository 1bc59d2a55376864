package com.intellij.notification;

public interface Notifications {

    public static class Bus {
        public static void notify(com.intellij.notification.Notification a) { throw new AssertionError(); }
        protected Bus() { throw new AssertionError(); }
    }
}
