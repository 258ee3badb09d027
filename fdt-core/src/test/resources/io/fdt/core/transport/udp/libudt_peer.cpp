// One end of a connection of libudt: libudt_peer listen|dial PORT send|receive FILE BYTES
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <udt/udt.h>

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, UDT::getlasterror().getErrorMessage());
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  bool listens = !strcmp(argv[1], "listen");
  bool sends = !strcmp(argv[3], "send");
  long total = atol(argv[5]);
  UDT::startup();
  sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(atoi(argv[2]));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  UDTSOCKET socket = UDT::socket(AF_INET, SOCK_STREAM, 0);
  if (listens) {
    UDTSOCKET listener = socket;
    if (UDT::bind(listener, (sockaddr*)&address, sizeof address)) return fail("bind");
    sockaddr_in bound;
    int length = sizeof bound;
    UDT::getsockname(listener, (sockaddr*)&bound, &length);
    if (UDT::listen(listener, 4)) return fail("listen");
    printf("port=%d\n", ntohs(bound.sin_port));
    fflush(stdout);
    sockaddr_storage peer;
    int peerLength = sizeof peer;
    socket = UDT::accept(listener, (sockaddr*)&peer, &peerLength);
    if (socket == UDT::INVALID_SOCK) return fail("accept");
  } else if (UDT::connect(socket, (sockaddr*)&address, sizeof address)) {
    return fail("connect");
  }
  FILE* file = fopen(argv[4], sends ? "rb" : "wb");
  if (!file) return fail("file");
  std::vector<char> buffer(100000);
  long done = 0;
  while (done < total) {
    if (sends) {
      int count = fread(buffer.data(), 1, buffer.size(), file);
      for (int at = 0; at < count;) {
        int sent = UDT::send(socket, buffer.data() + at, count - at, 0);
        if (sent == UDT::ERROR) return fail("send");
        at += sent;
      }
      done += count;
    } else {
      int count = UDT::recv(socket, buffer.data(), buffer.size(), 0);
      if (count == UDT::ERROR) return fail("recv");
      fwrite(buffer.data(), 1, count, file);
      done += count;
    }
  }
  fclose(file);
  UDT::close(socket);
  UDT::cleanup();
  return 0;
}
