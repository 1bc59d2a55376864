package dev.ideindex.plugin.psi;

import com.intellij.diff.DiffContentFactory;
import com.intellij.diff.DiffManager;
import com.intellij.diff.DiffRequestPanel;
import com.intellij.diff.contents.DocumentContent;
import com.intellij.diff.requests.SimpleDiffRequest;
import com.intellij.openapi.Disposable;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.fileTypes.FileType;
import com.intellij.openapi.fileTypes.FileTypeManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.Disposer;
import com.intellij.openapi.vfs.VirtualFile;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.awt.BorderLayout;
import java.awt.FlowLayout;
import java.awt.GraphicsEnvironment;
import java.awt.event.WindowAdapter;
import java.awt.event.WindowEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JPanel;

/**
 * The operations {@code diff.open} and {@code diff.close}: a window that blocks nothing, in which a person edits, accepts or
 * rejects a proposal. The verdict goes to the listener, once.
 */
final class Diffs {
    private static final int WIDTH = 1100;
    private static final int HEIGHT = 700;

    /** A diff on the screen. Only on the UI thread. */
    private final class Shown {
        private final long id;
        private final JFrame frame;
        private final Disposable life = Disposer.newDisposable();
        private final Document proposal;
        private final String separator;

        Shown(long id, JFrame frame, Document proposal, String separator) {
            this.id = id;
            this.frame = frame;
            this.proposal = proposal;
            this.separator = separator;
        }

        void decide(String verdict) {
            if (shown.remove(id, this)) {
                String content = verdict.equals("accepted") ? proposal.getText().replace("\n", separator) : null;
                frame.dispose();
                Disposer.dispose(life);
                listener.decided(id, verdict, content);
            }
        }
    }

    private final Map<Long, Shown> shown = new ConcurrentHashMap<>();
    private final DiffListener listener;

    Diffs(DiffListener listener) {
        this.listener = listener;
    }

    Map<String, Object> open(Call call) throws Exception {
        if (GraphicsEnvironment.isHeadless()) {
            throw new HostException(HostException.UNSUPPORTED, "there is no screen to show a diff on");
        }
        VirtualFile old = Files.look(call.arguments().text("oldPath"));
        String path = call.arguments().text("newPath");
        String proposal = call.arguments().text("proposal");
        String by = call.arguments().text("by", "");
        long id = call.arguments().number("id");
        call.ui(() -> {
            show(call.project(), id, old, path, proposal, by);
            return null;
        });
        return Json.object();
    }

    private void show(Project project, long id, VirtualFile old, String path, String proposal, String by) {
        FileType type = FileTypeManager.getInstance().getFileTypeByFileName(path.substring(path.lastIndexOf('/') + 1));
        Document before = old == null ? null : FileDocumentManager.getInstance().getDocument(old);
        DiffContentFactory factory = DiffContentFactory.getInstance();
        DocumentContent left = factory.create(project, before == null ? "" : before.getText(), type);
        DocumentContent right = factory.createEditable(project, Lines.unix(proposal), type);
        String separator = proposal.contains("\r\n") ? "\r\n" : "\n";
        JFrame frame = new JFrame(path);
        Shown diff = new Shown(id, frame, right.getDocument(), separator);
        DiffRequestPanel panel = DiffManager.getInstance().createRequestPanel(project, diff.life, frame);
        panel.setRequest(new SimpleDiffRequest(path, left, right, "Now", by.isEmpty() ? "Proposal" : "Proposal of " + by));
        frame.add(panel.getComponent(), BorderLayout.CENTER);
        frame.add(buttons(diff), BorderLayout.SOUTH);
        frame.addWindowListener(new WindowAdapter() {
            @Override
            public void windowClosing(WindowEvent event) {
                diff.decide("rejected");
            }
        });
        frame.setDefaultCloseOperation(JFrame.DO_NOTHING_ON_CLOSE);
        frame.setSize(WIDTH, HEIGHT);
        frame.setLocationByPlatform(true);
        shown.put(id, diff);
        Disposer.register(project, () -> diff.decide("withdrawn"));
        frame.setVisible(true);
    }

    private static JPanel buttons(Shown diff) {
        JPanel row = new JPanel(new FlowLayout(FlowLayout.TRAILING));
        JButton reject = new JButton("Reject");
        reject.addActionListener(event -> diff.decide("rejected"));
        JButton accept = new JButton("Accept");
        accept.addActionListener(event -> diff.decide("accepted"));
        row.add(reject);
        row.add(accept);
        return row;
    }

    Map<String, Object> close(Call call) throws Exception {
        long id = call.arguments().number("id");
        call.ui(() -> {
            Shown diff = shown.get(id);
            if (diff != null) {
                diff.decide("withdrawn");
            }
            return null;
        });
        return Json.object();
    }
}
