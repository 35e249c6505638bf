import{a,b,c}from"./chunk-ZAXQZYKY.js";import"./chunk-EG7URHIH.js";import"./chunk-LEGS6CT3.js";import"./chunk-M3RP2JZD.js";import"./chunk-HCVERMU2.js";c();export{a as GuardianTabs,b as default};
