package dev.ideindex.plugin.psi;

/** Hears what a person decides on a diff. */
@FunctionalInterface
public interface DiffListener {
    /**
     * @param verdict {@code accepted}, {@code rejected} or {@code withdrawn}
     * @param content the text that is to be written; null unless it was accepted
     */
    void decided(long id, String verdict, String content);
}
