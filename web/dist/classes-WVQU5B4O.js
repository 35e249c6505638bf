import{a,b,c}from"./chunk-72R6CPLV.js";import"./chunk-2SIDGW6P.js";import"./chunk-2EQ4WJJR.js";import"./chunk-EVZR4T6Z.js";c();export{a as ClassTabs,b as default};
