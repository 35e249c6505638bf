import{a,b,c}from"./chunk-VPRL7MC3.js";import"./chunk-F4TR4MZ4.js";import"./chunk-W5LQSPIH.js";import"./chunk-WZQEC2GS.js";c();export{a as ClassTabs,b as default};
