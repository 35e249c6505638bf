import{a,b,c}from"./chunk-EGKOBUAG.js";import"./chunk-REX6MET3.js";c();export{a as SetPIN,b as default};
