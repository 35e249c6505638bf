import{a,b,c}from"./chunk-YXKPRT5O.js";import"./chunk-KP5U644Z.js";import"./chunk-M7IY7AXE.js";import"./chunk-QHEBYUJ3.js";import"./chunk-RZXHXUZY.js";c();export{a as GuardianTabs,b as default};
