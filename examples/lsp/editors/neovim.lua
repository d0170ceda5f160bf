-- Drives rpcgen lsp by Neovim (0.7 or later) without a screen: nvim --headless -u NONE -c 'luafile examples/lsp/editors/neovim.lua'.
-- The variable RPCGEN is the command. It exits with 1 at the first answer that is not as expected.
local function main()
  local function expect(ok, what)
    assert(ok, what)
    io.stdout:write('ok   ', what, '\n')
  end

  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  local file = folder .. '/main.rpc.yaml'
  vim.fn.writefile({ 'rpcgen: v1', 'types:', '  Thing:   {fields: {name: string}}', '  Other: Thing', '  Bad: strin' }, file)
  vim.cmd('edit ' .. file)
  local buffer = vim.api.nvim_get_current_buf()
  local exit
  local id = vim.lsp.start_client({
    cmd = { os.getenv('RPCGEN') or 'rpcgen', 'lsp' },
    root_dir = folder,
    on_exit = function(code) exit = code end,
  })
  vim.lsp.buf_attach_client(buffer, id)
  local client
  expect(vim.wait(10000, function()
    client = vim.lsp.get_client_by_id(id)
    return client ~= nil and client.initialized
  end), 'initialize')
  expect(client.server_capabilities.hoverProvider, 'capabilities')

  local function faults() return vim.diagnostic.get(buffer) end
  expect(vim.wait(10000, function() return #faults() > 0 end), 'didOpen: diagnostics')
  local fault = faults()[1]
  expect(fault.lnum == 4 and fault.col == 7 and fault.end_col == 12 and fault.source == 'rpcgen', 'their place')
  vim.api.nvim_buf_set_lines(buffer, 4, 5, false, { '  Bad: string' })
  expect(vim.wait(10000, function() return #faults() == 0 end), 'didChange: no diagnostics')

  local function ask(method, params)
    local answer, err = client.request_sync(method, params, 10000, buffer)
    assert(answer and not answer.err, method .. ': ' .. vim.inspect(err or answer.err))
    return answer.result
  end
  local function at(line, character, more)
    local params = { textDocument = { uri = vim.uri_from_fname(file) }, position = { line = line, character = character } }
    return vim.tbl_extend('error', params, more or {})
  end

  expect(ask('textDocument/hover', at(3, 10)).contents.value:find('type Thing', 1, true), 'hover')
  expect(ask('textDocument/definition', at(3, 10)).range.start.line == 2, 'definition')
  local labels = {}
  for _, item in ipairs(ask('textDocument/completion', at(3, 9)).items) do
    labels[item.label] = true
  end
  expect(labels.Thing and labels.string and not labels.package, 'completion')

  local encoding = client.offset_encoding
  vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', at(3, 10, { newName = 'Gadget' })), encoding)
  local function line(n) return vim.api.nvim_buf_get_lines(buffer, n, n + 1, false)[1] end
  expect(line(3) == '  Other: Gadget', 'rename')
  local options = { options = { tabSize = 2, insertSpaces = true } }
  local edits = ask('textDocument/formatting', vim.tbl_extend('error', { textDocument = { uri = vim.uri_from_fname(file) } }, options))
  vim.lsp.util.apply_text_edits(edits, buffer, encoding)
  expect(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n'):find('  Gadget:\n    fields', 1, true)
    or table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n'):find('  Gadget: {fields', 1, true), 'formatting')

  client.stop()
  expect(vim.wait(10000, function() return exit ~= nil end) and exit == 0, 'shutdown, exit')
end

local ok, err = pcall(main)
if not ok then
  io.stdout:write('FAIL ', tostring(err), '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qall!')
