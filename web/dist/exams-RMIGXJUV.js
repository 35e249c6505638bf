import{d as a,e as b,f as c}from"./chunk-ERXIEKF5.js";import"./chunk-W4KBYFTO.js";import"./chunk-XSOCEZGH.js";import"./chunk-WXQVR26E.js";c();export{a as default,b as enters};
