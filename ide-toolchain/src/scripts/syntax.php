$failed = 0;
foreach (explode("\n", stream_get_contents(STDIN)) as $name) {
    if ($name === '') {
        continue;
    }
    $text = @file_get_contents($name);
    if ($text === false) {
        $failed = 1;
        echo json_encode(['file' => $name, 'line' => 1, 'message' => 'cannot be read']), "\n";
        continue;
    }
    try {
        token_get_all($text, TOKEN_PARSE);
    } catch (ParseError $error) {
        $failed = 1;
        $said = ['file' => $name, 'line' => $error->getLine(), 'message' => $error->getMessage()];
        echo json_encode($said, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
    }
}
echo json_encode(['done' => true]), "\n";
exit($failed);
