// The client of rpcgen lsp.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');
const { find } = require('./command.js');

let client;

exports.activate = async () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd();
  let command;
  try {
    command = await find(vscode.workspace.getConfiguration('rpcgen').get('command') ?? [], folder);
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
    return;
  }
  const [file, ...args] = command;
  client = new LanguageClient('rpcgen', 'rpcgen', { command: file, args: [...args, 'lsp'], options: { cwd: folder } },
    { documentSelector: [{ scheme: 'file', pattern: '**/*.rpc.yaml' }] });
  await client.start();
};

exports.deactivate = () => client?.stop();
