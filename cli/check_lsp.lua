-- Attaches `oar lsp` to a buffer of Neovim and does with it what a person would do.
-- Needs `OAR`, the command, and `PACK`, a copy of examples/coding-basics.

local pack = vim.fn.resolve(os.getenv('PACK'))

local function finish(message)
  print(message .. '\n')
  vim.cmd(message:match('^FAILED') and 'cquit 1' or 'qall!')
end

local function check()
  vim.cmd('edit ' .. pack .. '/shell.yaml')
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = 'oar', cmd = { os.getenv('OAR'), 'lsp' }, root_dir = pack })
  vim.lsp.buf_attach_client(buffer, client)

  local function wait(what, test)
    if not vim.wait(30000, test, 20) then
      error('waited in vain for ' .. what)
    end
  end
  local function faults()
    return #vim.diagnostic.get(buffer)
  end
  local function ask(method, line, character)
    local params = {
      textDocument = vim.lsp.util.make_text_document_params(buffer),
      position = { line = line, character = character },
    }
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 30000)
    return answers and answers[client] and answers[client].result
  end

  wait('the server', function() return vim.lsp.client_is_stopped(client) == false and vim.lsp.buf_get_clients(buffer)[client] ~= nil end)

  -- Typed above everything, so that every place moves; with a character of two UTF-16 units.
  vim.api.nvim_buf_set_lines(buffer, 0, 0, false, {
    'oar: "1.0"', 'id: TYPED', 'namespace: example.coding', 'kind: policy', 'anchor: tool.pre_invoke',
    'requires: {profiles: [tool]}', 'when: tool == "😀" && tol == ""', 'overrides: [COMMIT_SEEN]',
    'effect: warn', '---',
  })
  wait('a diagnostic', function() return faults() == 1 end)
  local fault = vim.diagnostic.get(buffer)[1]
  local line = vim.api.nvim_buf_get_lines(buffer, fault.lnum, fault.lnum + 1, false)[1]
  local word = line:sub(fault.col + 1, fault.end_col)
  assert(word == 'tol', 'the fault is at `' .. word .. '`')

  local hover = ask('textDocument/hover', 6, 7)
  assert(hover and hover.contents.value:find('profile `tool`', 1, true), 'hover: ' .. vim.inspect(hover))
  local place = ask('textDocument/definition', 7, 14)
  assert(place and place.uri:find('habits.yaml', 1, true), 'definition: ' .. vim.inspect(place))
  local items = ask('textDocument/completion', 3, 6)
  assert(items and #items == 4, 'completion: ' .. vim.inspect(items))

  vim.api.nvim_buf_set_text(buffer, fault.lnum, fault.col, fault.lnum, fault.end_col, { 'tool' })
  wait('no diagnostic', function() return faults() == 0 end)

  vim.lsp.stop_client(client)
  wait('the end', function() return vim.lsp.client_is_stopped(client) end)
end

local fine, why = pcall(check)
finish(fine and 'nvim: diagnostics, hover, definition, completion and an edit' or 'FAILED in nvim: ' .. tostring(why))
