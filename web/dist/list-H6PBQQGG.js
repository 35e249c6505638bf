import{a,b,c}from"./chunk-U3XDQSAV.js";import"./chunk-STOVVT7J.js";import"./chunk-HUR3DIF2.js";import"./chunk-2NP4A22Q.js";import"./chunk-3S6HH2FD.js";c();export{a as GuardianTabs,b as default};
