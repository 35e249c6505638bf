import{a,b,c}from"./chunk-RFZA6OXG.js";import"./chunk-WVVLVVT7.js";import"./chunk-PK5GDNQN.js";import"./chunk-LRDV5UUJ.js";import"./chunk-5XOGUIOE.js";c();export{a as AuditTabs,b as default};
